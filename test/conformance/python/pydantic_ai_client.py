"""Pydantic AI over both of OpenAI's APIs: pydantic_ai_client.py <base url> <key> <model>."""

import sys

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

base_url, key, model = sys.argv[1:]
provider = OpenAIProvider(base_url=base_url, api_key=key)
models = {
    "chat": OpenAIChatModel(model, provider=provider),
    "responses": OpenAIResponsesModel(model, provider=provider, settings={"openai_store": False}),
}


class Weather(BaseModel):
    city: str
    degrees: int
    dry: bool


def text(api: str) -> None:
    answer = Agent(models[api]).run_sync("Hello\n@sandbox delay=0")
    assert "Hello" in answer.output, answer


def tool_loop(api: str) -> None:
    agent = Agent(models[api])
    asked: list[str] = []

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Weather of a city."""
        asked.append(city)
        return "sunny"

    answer = agent.run_sync("Weather?\n@sandbox delay=0 tool")
    assert asked == ["Москва"] and "tool has answered" in answer.output, (asked, answer)


def structured(api: str) -> None:
    from pydantic_ai import NativeOutput

    agent = Agent(models[api], output_type=NativeOutput(Weather))
    answer = agent.run_sync("Weather\n@sandbox delay=0")
    assert isinstance(answer.output, Weather), answer


for api in models:
    for check in (text, tool_loop, structured):
        check(api)
        print(api, check.__name__)
