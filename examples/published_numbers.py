"""RoPE on attend-first: the published decay, certified row by row."""

import verify

result = verify.alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30, 40, 60])
for score in result.lengths:
    print(f"alpha at {score.length}: {score.hits}/{score.scored}")
