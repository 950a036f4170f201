import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread():
    """Sums are split over threads: one thread gives the same everywhere, and leaves cores alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
