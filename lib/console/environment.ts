import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Money } from '../../lambdas/money/money.ts';
import { groupedDigits, type ExactNumber } from './exact-numbers.ts';
import type { GatewayClient } from './gateway-client.ts';
import { clockText, dayText, timeText } from './time-text.ts';
import type { Language, Texts } from './texts/languages.ts';

export interface ConsoleEnvironment {
  texts: Texts;
  language: Language;
  isDark: boolean;
  client: GatewayClient;
}

export const EnvironmentContext = createContext<ConsoleEnvironment | undefined>(undefined);

export function useConsole(): ConsoleEnvironment {
  const environment = useContext(EnvironmentContext);
  if (!environment) throw new Error('There is no console around this part');
  return environment;
}

export function useFormats() {
  const { language } = useConsole();
  const locale = language === 'ru' ? 'ru-RU' : 'en-GB';
  return {
    rub: (amount: ExactNumber | Money | null) => (amount === null ? '—' : `${groupedDigits(amount, language)}\u00a0₽`),
    count: (count: number | null | undefined) =>
      count === null || count === undefined ? '—' : groupedDigits(count, language),
    time: (text: string | number) => timeText(text, locale),
    clock: (text: string | number) => clockText(text, locale),
    day: (text: string | number) => dayText(text, locale),
    duration: (ms: number | null | undefined) =>
      ms === null || ms === undefined ? '—' : `${ms.toLocaleString(locale)}\u00a0${language === 'ru' ? 'мс' : 'ms'}`,
    percent: (value: number | string | null | undefined) =>
      value === null || value === undefined ? '—' : `${Number(value).toLocaleString(locale)}\u00a0%`,
  };
}
