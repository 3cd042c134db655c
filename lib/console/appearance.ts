import { useEffect, useState } from 'preact/hooks';
import { languageSlot, themeSlot } from './tab-memory.ts';
import { isLanguage, type Language } from './texts/languages.ts';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

/** Returns the reader's choice of the theme, or else the system's theme. */
export function useTheme() {
  const [chosen, setChosen] = useState(themeSlot.read());
  const [systemIsDark, setSystemIsDark] = useState(prefersDark.matches);
  useEffect(() => {
    const follow = () => setSystemIsDark(prefersDark.matches);
    prefersDark.addEventListener('change', follow);
    return () => prefersDark.removeEventListener('change', follow);
  }, []);
  const isDark = chosen === undefined ? systemIsDark : chosen === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  const switchTheme = () => {
    const next = isDark ? 'light' : 'dark';
    themeSlot.write(next);
    setChosen(next);
  };
  return { isDark, switchTheme };
}

/** Returns the reader's choice of the language, or else the browser's language. */
export function useLanguage() {
  const [language, setLanguage] = useState<Language>(() => {
    const kept = languageSlot.read();
    if (kept !== undefined && isLanguage(kept)) return kept;
    return navigator.language.startsWith('ru') ? 'ru' : 'en';
  });
  document.documentElement.lang = language;
  const chooseLanguage = (next: Language) => {
    languageSlot.write(next);
    setLanguage(next);
  };
  return { language, chooseLanguage };
}
