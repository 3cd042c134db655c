"""OpenAI's Agents SDK over both of its APIs: openai_agents_client.py <base url> <key> <model>."""

import asyncio
import sys

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from pydantic import BaseModel

base_url, key, model = sys.argv[1:]
set_tracing_disabled(True)
client = AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0)
models = {
    "chat": OpenAIChatCompletionsModel(model=model, openai_client=client),
    "responses": OpenAIResponsesModel(model=model, openai_client=client),
}
settings = ModelSettings(store=False)


class Weather(BaseModel):
    city: str
    degrees: int
    dry: bool


@function_tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"sunny in {city}"


async def text(api: str) -> None:
    agent = Agent(name="helper", model=models[api], model_settings=settings)
    answer = await Runner.run(agent, "Hello\n@sandbox delay=0")
    assert "Hello" in answer.final_output, answer


async def stream(api: str) -> None:
    agent = Agent(name="helper", model=models[api], model_settings=settings)
    run = Runner.run_streamed(agent, "Hello\n@sandbox delay=0")
    deltas = [event async for event in run.stream_events() if event.type == "raw_response_event"]
    assert len(deltas) > 3 and "Hello" in run.final_output, run


async def tool_loop(api: str) -> None:
    agent = Agent(name="helper", model=models[api], model_settings=settings, tools=[get_weather])
    answer = await Runner.run(agent, "Weather?\n@sandbox delay=0 tool")
    assert "tool has answered" in answer.final_output, answer


async def structured(api: str) -> None:
    agent = Agent(name="helper", model=models[api], model_settings=settings, output_type=Weather)
    answer = await Runner.run(agent, "Weather\n@sandbox delay=0")
    assert isinstance(answer.final_output, Weather), answer


async def main() -> None:
    for api in models:
        for check in (text, stream, tool_loop, structured):
            await check(api)
            print(api, check.__name__)


asyncio.run(main())
