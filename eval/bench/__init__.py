"""Speed, measured beside others who answer the same questions on the same data; ``groundframe bench``."""
