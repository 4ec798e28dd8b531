"""Positional code of public libraries behind the audit's call forms, each built when first named.

Classes that hold random numbers until a model initializes them are initialized as the model does.
"""

from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import nn

HEAD, LENGTH = 64, 4096


class Rotary:
    """A module called with an example of the type and with position ids, returning (cos, sin)."""

    def __init__(self, module):
        self.module = module

    def features(self, positions, dtype=torch.float32):
        example = torch.zeros(1, 1, HEAD, dtype=dtype)
        return tuple(self.module(example, positions[None]))

    def to(self, dtype):
        self.module.to(dtype)


class Table:
    """A table of all positions below a length, made by a function of the length (and the type)."""

    def __init__(self, make):
        self.make = make

    def features(self, positions, dtype=torch.float32):
        return self.make(int(positions.max()) + 1, dtype)[positions]


class Turned:
    """A function of vectors (n, d) at positions (n,)."""

    def __init__(self, turn):
        self.turn = turn

    def rotate(self, x, positions):
        return self.turn(x, positions)


# ------------------------------------------------------------ transformers


def _llama(rope_type="default", theta=10000.0, **parameters):
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    original = parameters.pop("positions", LENGTH)
    rope = {"rope_type": rope_type, "rope_theta": theta, **parameters}
    config = LlamaConfig(
        hidden_size=HEAD, num_attention_heads=1, head_dim=HEAD, max_position_embeddings=original,
        rope_parameters=rope,
    )  # fmt: skip
    return LlamaRotaryEmbedding(config)


def llama():
    return Rotary(_llama())


def llama_linear():
    return Rotary(_llama("linear", factor=4.0))


def llama_dynamic():
    return Rotary(_llama("dynamic", factor=2.0, positions=1024))


def llama_yarn():
    return Rotary(_llama("yarn", factor=4.0, original_max_position_embeddings=1024, positions=4096))


def llama3():
    return Rotary(
        _llama(
            "llama3",
            500000.0,
            factor=8.0,
            low_freq_factor=1.0,
            high_freq_factor=4.0,
            original_max_position_embeddings=8192,
            positions=131072,
        )
    )


def llama_rotate():
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    module = _llama()

    def turn(x, positions):
        cos, sin = module(x[None], positions[None])
        return apply_rotary_pos_emb(x[None, None], x[None, None], cos, sin)[0][0, 0]

    return Turned(turn)


def gemma():
    from transformers import GemmaConfig
    from transformers.models.gemma.modeling_gemma import GemmaRotaryEmbedding

    return Rotary(GemmaRotaryEmbedding(GemmaConfig(head_dim=HEAD)))


def qwen2():
    from transformers import Qwen2Config
    from transformers.models.qwen2.modeling_qwen2 import Qwen2RotaryEmbedding

    return Rotary(Qwen2RotaryEmbedding(Qwen2Config(hidden_size=HEAD, num_attention_heads=1)))


def esm():
    from transformers import EsmConfig
    from transformers.models.esm.modeling_esm import EsmRotaryEmbedding

    return Rotary(EsmRotaryEmbedding(EsmConfig(hidden_size=HEAD, num_attention_heads=1)))


def gptj():
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions

    return Table(lambda n, dtype: create_sinusoidal_positions(n, HEAD).to(dtype))


def gptj_rotate():
    from transformers.models.gptj.modeling_gptj import (
        apply_rotary_pos_emb,
        create_sinusoidal_positions,
    )

    def turn(x, positions):
        sin, cos = create_sinusoidal_positions(LENGTH, x.shape[1])[positions].chunk(2, dim=-1)
        return apply_rotary_pos_emb(x[None, :, None], sin[None], cos[None])[0, :, 0]

    return Turned(turn)


class _Clvp:
    """Keeps the angles of the last length that it was called with."""

    def __init__(self):
        from transformers.models.clvp.modeling_clvp import ClvpRotaryPositionalEmbedding

        self.module = ClvpRotaryPositionalEmbedding(
            SimpleNamespace(projection_dim=2 * HEAD, num_attention_heads=1)
        )

    def features(self, positions, dtype=torch.float32):
        angles = self.module(torch.zeros(1, int(positions.max()) + 1, 1, dtype=dtype))[0]
        return angles[positions].cos().to(dtype), angles[positions].sin().to(dtype)

    def to(self, dtype):
        self.module.to(dtype)


def clvp():
    return _Clvp()


def _filled(module):
    """As the model's initialization does: the random table is overwritten."""
    with torch.no_grad():
        module.weight.copy_(module.create_weight())
    return Table(lambda n, dtype: module(torch.Size([1, n])).to(dtype))


def marian():
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    return _filled(MarianSinusoidalPositionalEmbedding(LENGTH, HEAD))


def pegasus():
    from transformers.models.pegasus.modeling_pegasus import PegasusSinusoidalPositionalEmbedding

    return _filled(PegasusSinusoidalPositionalEmbedding(LENGTH, HEAD))


def roformer():
    from transformers.models.roformer.modeling_roformer import (
        RoFormerSinusoidalPositionalEmbedding,
    )

    return _filled(RoFormerSinusoidalPositionalEmbedding(LENGTH, HEAD))


def marian_uninitialized():
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    torch.manual_seed(0)
    module = MarianSinusoidalPositionalEmbedding(LENGTH, HEAD)
    return Table(lambda n, dtype: module(torch.Size([1, n])).to(dtype))


def m2m100():
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

    get = M2M100SinusoidalPositionalEmbedding.get_embedding
    return Table(lambda n, dtype: get(n, HEAD).to(dtype))


def musicgen():
    from transformers.models.musicgen.modeling_musicgen import MusicgenSinusoidalPositionalEmbedding

    module = MusicgenSinusoidalPositionalEmbedding(LENGTH, HEAD)
    return Table(lambda n, dtype: module(torch.zeros(1, 1, n)).to(dtype))


def whisper():
    from transformers.models.whisper.modeling_whisper import sinusoids

    return Table(lambda n, dtype: sinusoids(n, HEAD).to(dtype))


def _learned(module, call):
    """A learned table with a one-hot row for each position, so that offsets show."""
    rows, columns = module.weight.shape
    with torch.no_grad():
        module.weight.zero_()
        offset = rows - columns
        module.weight[offset:] = torch.eye(columns)
    return Table(lambda n, dtype: call(module, n).to(dtype))


def opt():
    from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding

    return _learned(
        OPTLearnedPositionalEmbedding(128, 128),
        lambda module, n: module(torch.ones(1, n, dtype=torch.long))[0],
    )


def bart():
    from transformers.models.bart.modeling_bart import BartLearnedPositionalEmbedding

    return _learned(
        BartLearnedPositionalEmbedding(128, 128), lambda module, n: module(torch.zeros(1, n))[0]
    )


class _Bias:
    def __init__(self, make, slopes=None):
        self.make = make
        if slopes is not None:
            self.slopes = slopes

    def bias(self, n, dtype=torch.float32):
        return self.make(n, dtype)


def bloom():
    from transformers.models.bloom.modeling_bloom import _get_alibi_slopes, build_alibi_tensor

    return _Bias(
        lambda n, dtype: build_alibi_tensor(torch.ones(1, n, dtype=torch.long), 12, dtype),
        lambda heads: _get_alibi_slopes(heads, torch.device("cpu")),
    )


def falcon():
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor

    return _Bias(lambda n, dtype: build_alibi_tensor(torch.ones(1, n, dtype=torch.long), 12, dtype))


def mpt():
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    return _Bias(
        lambda n, dtype: build_mpt_alibi_tensor(12, n).to(dtype),
        lambda heads: build_mpt_alibi_tensor(heads, 2)[:, 0, 0].neg(),
    )


class _Buckets:
    def __init__(self, bucket):
        self.bucket = bucket

    def buckets(self, offsets):
        return self.bucket(-offsets)  # these libraries take key minus query


def _t5(home, name, both):
    import importlib

    module = importlib.import_module(f"transformers.models.{home}.modeling_{home}")
    bucket = getattr(module, name)._relative_position_bucket
    return _Buckets(lambda relative: bucket(relative, bidirectional=both))


def t5_causal():
    return _t5("t5", "T5Attention", False)


def t5_bidirectional():
    return _t5("t5", "T5Attention", True)


def longt5_bidirectional():
    return _t5("longt5", "LongT5Attention", True)


def mt5_causal():
    return _t5("mt5", "MT5Attention", False)


# ------------------------------------------------------------ x-transformers


class _XRotary:
    def __init__(self, **options):
        from x_transformers.x_transformers import RotaryEmbedding

        self.module = RotaryEmbedding(HEAD, **options)

    def features(self, positions, dtype=torch.float32):
        angles, _ = self.module(positions)
        return angles.cos().to(dtype), angles.sin().to(dtype)

    def to(self, dtype):
        self.module.to(dtype)


def x_rotary():
    return _XRotary()


def x_rotary_interpolated():
    return _XRotary(interpolation_factor=4.0)


def x_rotary_ntk():
    return _XRotary(base_rescale_factor=4.0)


def x_rotate():
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

    module = RotaryEmbedding(HEAD)
    return Turned(lambda x, positions: apply_rotary_pos_emb(x[None], module(positions)[0])[0])


class _XSinusoidal:
    def __init__(self):
        from x_transformers.x_transformers import ScaledSinusoidalEmbedding

        self.module = ScaledSinusoidalEmbedding(HEAD)

    def features(self, positions):
        return self.module(torch.zeros(1, len(positions), HEAD), pos=positions).detach()

    def to(self, dtype):
        self.module.to(dtype)


def x_sinusoidal():
    return _XSinusoidal()


def x_alibi():
    from x_transformers.x_transformers import AlibiPositionalBias

    module = AlibiPositionalBias(12)
    return _Bias(
        lambda n, dtype: module(n, n).to(dtype),
        AlibiPositionalBias._get_slopes,
    )


def _x_buckets(causal):
    from x_transformers.x_transformers import RelativePositionBias

    bucket = RelativePositionBias._relative_position_bucket
    return _Buckets(lambda relative: bucket(relative, causal=causal))


def x_buckets_causal():
    return _x_buckets(True)


def x_buckets_bidirectional():
    return _x_buckets(False)


def x_absolute():
    from x_transformers.x_transformers import AbsolutePositionalEmbedding

    module = AbsolutePositionalEmbedding(128, 128)
    nn.init.eye_(module.emb.weight)
    module.scale = 1.0  # it is 1/sqrt(dim), a common factor
    return Table(lambda n, dtype: module(torch.zeros(1, n, 128)).to(dtype))


# ------------------------------------------------------------ rotary-embedding-torch


class _RotaryTorch:
    """`rotate_queries_or_keys` rotates a whole sequence, in the type of the queries."""

    def __init__(self):
        from rotary_embedding_torch import RotaryEmbedding

        self.module = RotaryEmbedding(HEAD)

    def features(self, positions, dtype=torch.float32):
        queries = torch.zeros(1, 1, int(positions.max()) + 1, HEAD, dtype=dtype)
        queries[..., 0::2] = 1.0
        return self.module.rotate_queries_or_keys(queries)[0, 0][positions].detach()

    def to(self, dtype):
        self.module.to(dtype)


def rotary_torch():
    return _RotaryTorch()


class _RotaryTorchShared(_RotaryTorch):
    """The same module, used once for a bfloat16 sequence before: what a mixed model does."""

    def __init__(self):
        super().__init__()
        super().features(torch.arange(1024), torch.bfloat16)


def rotary_torch_after_bfloat16():
    return _RotaryTorchShared()


# ------------------------------------------------------------ positional-encodings


class _Encodings1D:
    def __init__(self):
        from positional_encodings.torch_encodings import PositionalEncoding1D

        self.module = PositionalEncoding1D(HEAD)

    def features(self, positions, dtype=torch.float32):
        return self.module(torch.zeros(1, int(positions.max()) + 1, HEAD, dtype=dtype))[0][
            positions
        ]

    def to(self, dtype):
        self.module.to(dtype)


def encodings_1d():
    return _Encodings1D()


# ------------------------------------------------------------ local-attention


class _Local:
    def __init__(self):
        from local_attention.rotary import SinusoidalEmbeddings

        self.module = SinusoidalEmbeddings(HEAD)

    def features(self, positions, dtype=torch.float32):
        angles, _ = self.module(torch.zeros(1, int(positions.max()) + 1, HEAD, dtype=dtype))
        return angles[positions].cos().to(dtype), angles[positions].sin().to(dtype)

    def to(self, dtype):
        self.module.to(dtype)


def local():
    return _Local()


# ------------------------------------------------------------ torchscale


def torchscale_xpos():
    """The sine and cosine tables that XPOS multiplies queries with."""
    from torchscale.component.xpos_relative_position import fixed_pos_embedding

    def make(n, dtype):
        sin, cos = fixed_pos_embedding(torch.ones(n, HEAD // 2, dtype=dtype))
        return torch.cat([sin, cos], dim=-1)

    return Table(make)


def _torchscale_buckets(both):
    from torchscale.component.relative_position_bias import RelativePositionBias

    bucket = RelativePositionBias._relative_position_bucket
    return _Buckets(lambda relative: bucket(relative, bidirectional=both))


def torchscale_buckets_causal():
    return _torchscale_buckets(False)


def torchscale_buckets_bidirectional():
    return _torchscale_buckets(True)


_MAKERS = {name: value for name, value in globals().items() if name[0] != "_" and callable(value)}


def __getattr__(name):
    """`built_NAME` is what the function NAME builds."""
    maker = _MAKERS.get(name.removeprefix("built_"))
    if maker is None or not name.startswith("built_"):
        raise AttributeError(name)
    globals()[name] = maker()
    return globals()[name]
