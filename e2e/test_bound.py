"""What only one account can serve stays with it."""

import openai
import pytest
from talk import MODEL


def test_previous_response_goes_to_the_account_that_made_it(chat_client, prompt):
    for number in range(6):
        raw = chat_client.responses.with_raw_response.create(
            model=MODEL, input=f"{prompt} {number}"
        )
        home, response = raw.headers["x-affinity-channel"], raw.parse()
        for _ in range(2):
            raw = chat_client.responses.with_raw_response.create(
                model=MODEL, input="go on", previous_response_id=response.id
            )
            assert raw.headers["x-affinity-channel"] == home
            response = raw.parse()


def test_encrypted_reasoning_goes_to_the_account_that_made_it(chat_client, prompt):
    for number in range(6):
        items = [{"role": "user", "content": f"{prompt} {number}"}]
        ask = {"model": MODEL, "store": False, "include": ["reasoning.encrypted_content"]}
        for _ in range(3):
            response = chat_client.responses.create(input=items, **ask)
            items.extend(item.to_dict() for item in response.output)
            items.append({"role": "user", "content": "go on"})


def test_bound_request_gets_its_accounts_error_and_not_another_account(stage, chat_client, prompt):
    raw = chat_client.responses.with_raw_response.create(model=MODEL, input=prompt)
    home, response = raw.headers["x-affinity-channel"], raw.parse()
    stage.account(home).fail("status", status=503)
    before = [account.stats()["requests"] for account in stage.others(home)]
    with pytest.raises(openai.InternalServerError) as caught:
        chat_client.responses.create(
            model=MODEL, input="go on", previous_response_id=response.id
        )
    assert caught.value.status_code == 503
    assert [account.stats()["requests"] for account in stage.others(home)] == before
