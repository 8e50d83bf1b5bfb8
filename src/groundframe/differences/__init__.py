"""What differs between two answers, for golden frames and audit records alike."""
