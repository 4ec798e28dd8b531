"""The sinusoidal encoding attends from i to i/10 on every multiple of ten, at any length."""

from fractions import Fraction

from verify.theory import encodings, heads, tasks
from verify.theory.text import value

encoding = encodings.encoding("sinusoidal:frequencies=16,base=10000")
task = tasks.task("decimate:q=10")
# cos(i/10 - j): theta_4 = 1/10 of the query against theta_0 = 1 of the key, sines and cosines
W = [[Fraction(0)] * 32 for _ in range(32)]
W[4][0] = W[20][16] = Fraction(1)

for i, t in tasks.rows(task, 60):
    margin = heads.margin(encoding, tuple(map(tuple, W)), i, t, 60)
    print(f"row {i} -> key {t}: margin {value(margin):.4f}")
