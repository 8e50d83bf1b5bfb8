"""The independent oracle: answers by brute force, sharing no code with the compiler."""
