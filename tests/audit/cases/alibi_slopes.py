"""The plain geometric rule for slopes, which is the published one for powers of two only."""

REPORTS = ["ml-explore/mlx#343", "NVIDIA/TensorRT-LLM#1611", "huggingface/transformers#28380"]


def slopes(heads):
    return [2.0 ** (-8 * (h + 1) / heads) for h in range(heads)]


def right_slopes(heads):
    power = 1 << (heads.bit_length() - 1)
    if power == heads:
        return slopes(heads)
    return slopes(power) + slopes(2 * power)[0::2][: heads - power]
