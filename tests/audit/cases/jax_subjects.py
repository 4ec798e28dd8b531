"""Subjects in JAX, whose processes cannot be forked."""

import jax.numpy as jnp

THETA = 10000.0 ** (-jnp.arange(0, 16, 2) / 16)


def features(positions, dtype=jnp.float32):
    phase = jnp.outer(positions.astype(jnp.float32), THETA)
    return jnp.concatenate([jnp.cos(phase), jnp.sin(phase)], axis=1).astype(dtype)


def narrow_features(positions, dtype=jnp.bfloat16):
    phase = jnp.outer(positions.astype(dtype), THETA.astype(dtype))
    return jnp.concatenate([jnp.cos(phase), jnp.sin(phase)], axis=1)
