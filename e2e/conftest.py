import itertools

import anthropic
import openai
import pytest

from stage import TOKENS, Stage

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("stage"))
    yield stage
    assert stage.stop() == 0, "the gateway ends cleanly on SIGTERM"


@pytest.fixture
def stage(running):
    yield running
    running.heal()


@pytest.fixture
def prompt():
    """A prompt of about 1,900 tokens that no other test has sent."""
    number = next(_numbers)
    return f"conversation {number} " + f"word-{number} " * 1000


@pytest.fixture
def chat_client(stage):
    return openai.OpenAI(base_url=f"{stage.base_url}/v1", api_key=TOKENS["red"], max_retries=0)


@pytest.fixture
def anthropic_client(stage):
    return anthropic.Anthropic(base_url=stage.base_url, api_key=TOKENS["red"], max_retries=0)
