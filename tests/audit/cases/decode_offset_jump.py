"""The first decoding step moves the cache offset on by the length of the prompt once more."""

REPORTS = ["skyzh/tiny-llm#46", "ml-explore/mlx-lm#93", "lucidrains/x-transformers#219"]


def positions(prompt, steps):
    return [*range(prompt), *range(2 * prompt, 2 * prompt + steps)]


def right_positions(prompt, steps):
    return list(range(prompt + steps))
