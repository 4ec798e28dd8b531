"""Logarithmic buckets without the final clamp to the last one. Integers only."""

REPORTS = ["huggingface/candle#1312", "lucidrains/x-transformers#10"]
BUCKETS, EXACT, FAR = 16, 8, 128


def _bucket(distance):
    if distance < EXACT:
        return distance
    steps = BUCKETS - EXACT
    k = 0
    while (FAR // EXACT) ** (k + 1) * EXACT**steps <= distance**steps:
        k += 1
    return EXACT + k


def buckets(offsets):
    return [_bucket(int(o)) for o in offsets]


def right_buckets(offsets):
    return [min(_bucket(int(o)), BUCKETS - 1) for o in offsets]
