import type { SearchKind } from '../../catalog/search-schema.ts';
import { brave } from './brave.ts';
import { exa } from './exa.ts';
import type { BackendKind } from './kind.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';
import { yandex } from './yandex.ts';

export const kinds: Record<SearchKind, BackendKind> = { yandex, brave, tavily, exa, searxng };
