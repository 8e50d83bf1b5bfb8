"""Golden frames: a frame with its recorded answer in one file, checked against what is answered today."""
