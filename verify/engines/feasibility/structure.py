"""Refutations that can be read off the shape of a system.

Among constraints whose query vectors are parallel, `q (x) (k_t - k_j)` compares keys: a cycle of
comparisons (t beats j, j beats l, ..., beats t) sums to zero, and so do two differences of opposite
direction, such as those of a target between two keys on a line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from math import gcd

from .integers import PRIME, Problem, Weights

# An edge (u, v) states that key vector u beats key vector v, by constraint k scaled by 1 / factor.
Edges = dict[tuple[int, int], tuple[int, int]]


def structural_weights(problem: Problem) -> Weights | None:
    """Positive weights that cancel, of a cycle of comparisons or of an opposite pair."""
    keys, groups = _comparisons(problem)
    for edges in groups:
        if len({u for u, _ in edges}) > 1:
            cycle = _short_cycle(edges)
            if cycle:
                return _cycle_weights([edges[pair] for pair in cycle])
    hashes = _projections(keys)
    for edges in groups:
        if len(edges) > 1:
            pair = _opposite_pair(edges, keys, hashes)
            if pair:
                return pair
    return None


def _comparisons(problem: Problem) -> tuple[list[tuple[int, ...]], list[Edges]]:
    """Distinct key vectors, and the comparisons of keys by each direction of query vectors."""
    keys: dict[tuple[int, ...], int] = {}
    directions: dict[tuple[int, ...], int] = {}
    key_ids: list[list[int]] = []
    query_ids: list[list[tuple[int, int]]] = []
    for block in problem.blocks:
        key_ids.append(
            [keys.setdefault(tuple(map(int, v)), len(keys)) for v in block.whole_keys.tolist()]
        )
        lines = []
        for vector in block.whole_queries.tolist():
            ints = [int(x) for x in vector]
            factor = gcd(*ints)
            if next(x for x in ints if x) < 0:
                factor = -factor
            direction = tuple(x // factor for x in ints)
            lines.append((directions.setdefault(direction, len(directions)), factor))
        query_ids.append(lines)
    groups: list[Edges] = [{} for _ in directions]
    for k, c in enumerate(problem.constraints):
        group, factor = query_ids[c.block][c.q]
        u, v = key_ids[c.block][c.t], key_ids[c.block][c.j]
        if factor < 0:
            u, v, factor = v, u, -factor
        groups[group].setdefault((u, v), (k, factor))
    return list(keys), groups


def _cycle_weights(chosen: Sequence[tuple[int, int]]) -> Weights:
    product = 1
    for _, factor in chosen:
        product = product * factor // gcd(product, factor)
    return [(k, product // factor) for k, factor in chosen]


def _short_cycle(edges: Edges) -> list[tuple[int, int]] | None:
    """Edges of a cycle, shortest through the nodes of the first one that is met."""
    followers: dict[int, list[int]] = {}
    for u, v in edges:
        followers.setdefault(u, []).append(v)
    try:
        TopologicalSorter(followers).prepare()
    except CycleError as error:
        nodes: list[int] = error.args[1][:-1]
    else:
        return None
    cycles = (_cycle_through(node, followers) for node in nodes[:64])
    return min((c for c in cycles if c), key=len)


def _cycle_through(start: int, followers: dict[int, list[int]]) -> list[tuple[int, int]] | None:
    parents: dict[int, int] = {}
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in followers.get(u, ()):
            if v == start:
                path = [(u, v)]
                while u != start:
                    path.append((parents[u], u))
                    u = parents[u]
                return path
            if v not in parents:
                parents[v] = u
                queue.append(v)
    return None


def _projections(keys: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Two fixed linear forms modulo PRIME of each key vector, whose ratio hashes a direction."""
    width = len(keys[0])
    first = [pow(3, 7 * c + 5, PRIME) for c in range(width)]
    second = [pow(5, 11 * c + 3, PRIME) for c in range(width)]
    return [
        (
            sum(x * y for x, y in zip(vector, first, strict=True)) % PRIME,
            sum(x * y for x, y in zip(vector, second, strict=True)) % PRIME,
        )
        for vector in keys
    ]


def _opposite_pair(
    edges: Edges, keys: Sequence[Sequence[int]], hashes: Sequence[tuple[int, int]]
) -> Weights | None:
    seen: dict[int, tuple[int, int]] = {}
    for u, v in edges:
        (a, b), (c, d) = hashes[u], hashes[v]
        lower = (b - d) % PRIME
        ratio = (a - c) * pow(lower, -1, PRIME) % PRIME if lower else -1
        if ratio not in seen:
            seen[ratio] = u, v
            continue
        s, t = seen[ratio]
        one = [x - y for x, y in zip(keys[s], keys[t], strict=True)]
        two = [x - y for x, y in zip(keys[u], keys[v], strict=True)]
        c = next(c for c, x in enumerate(one) if x)
        if one[c] * two[c] < 0 and all(
            x * two[c] == y * one[c] for x, y in zip(one, two, strict=True)
        ):
            (k, f), (m, g) = edges[s, t], edges[u, v]
            # f |two| (one / f as a constraint vector) and g |one| point opposite ways.
            weights = (abs(two[c]) * g, abs(one[c]) * f)
            common = gcd(*weights)
            return [(k, weights[0] // common), (m, weights[1] // common)]
    return None
