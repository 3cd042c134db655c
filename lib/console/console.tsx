import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLanguage, useTheme } from './appearance.ts';
import { EnvironmentContext } from './environment.ts';
import { openClient } from './gateway-client.ts';
import { hashOf, readHashRoute, type HashRoute } from './hash-route.ts';
import { AlertsPage } from './pages/alerts.tsx';
import { CompareModels } from './pages/compare-models.tsx';
import { GenerationPage } from './pages/generation.tsx';
import { GenerationsPage } from './pages/generations.tsx';
import { KeysPage } from './pages/keys.tsx';
import { MemberPage } from './pages/member.tsx';
import { ModelPage } from './pages/model.tsx';
import { ModelsPage } from './pages/models.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PlaygroundPage } from './pages/playground.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { TagsPage } from './pages/tags.tsx';
import { WorkspacePage } from './pages/workspace.tsx';
import { WorkspacesPage } from './pages/workspaces.tsx';
import { inferenceKeySlot, managementKeySlot } from './tab-memory.ts';
import { languages, type Texts } from './texts/languages.ts';
import { changeVisit, restorePlace } from './visits.ts';

const navigationPages = [
  'overview',
  'generations',
  'keys',
  'workspaces',
  'tags',
  'alerts',
  'models',
  'playground',
] as const;

/** A sign-in form or, after sign-in, a page of the account. */
export function Console() {
  const { language, chooseLanguage } = useLanguage();
  const { isDark, switchTheme } = useTheme();
  const [key, setKey] = useState(managementKeySlot.read());
  const [notice, setNotice] = useState<'expired' | undefined>();
  const texts = languages[language];
  const signOut = (why?: 'expired') => {
    managementKeySlot.forget();
    inferenceKeySlot.forget();
    setNotice(why);
    setKey(undefined);
  };
  const client = useMemo(() => openClient(key ?? '', () => signOut('expired')), [key]);
  const environment = useMemo(() => ({ texts, language, isDark, client }), [texts, language, isDark, client]);
  return (
    <EnvironmentContext.Provider value={environment}>
      <header class="top">
        <strong>{texts.title}</strong>
        <span class="actions">
          <button
            type="button"
            class="plain"
            lang={language === 'ru' ? 'en' : 'ru'}
            onClick={() => chooseLanguage(language === 'ru' ? 'en' : 'ru')}
          >
            {language === 'ru' ? 'English' : 'Русский'}
          </button>
          <button type="button" class="plain" onClick={switchTheme}>
            {isDark ? texts.light : texts.dark}
          </button>
          {key !== undefined && (
            <button type="button" class="plain" onClick={() => signOut()}>
              {texts.signOut}
            </button>
          )}
        </span>
      </header>
      {key === undefined ? (
        <SignIn
          notice={notice === 'expired' ? texts.keyExpired : undefined}
          onSignedIn={(accepted) => {
            managementKeySlot.write(accepted);
            setNotice(undefined);
            setKey(accepted);
          }}
        />
      ) : (
        <SignedIn texts={texts} />
      )}
    </EnvironmentContext.Provider>
  );
}

function SignedIn({ texts }: { texts: Texts }) {
  const route = useHashRoute();
  const main = useRef<HTMLElement>(null);
  const place = `${route.page}/${route.id ?? ''}`;
  const last = useRef(place);
  useLayoutEffect(() => restorePlace(main.current!), [route.hash]);
  useEffect(() => {
    // Moves the focus to the new page, for readers who use a keyboard or a screen reader.
    if (last.current !== place) main.current?.focus({ preventScroll: true });
    last.current = place;
    const page = navigationPages.find((page) => page === route.page);
    document.title = `${page === undefined ? '' : `${texts.pages[page]} · `}${texts.title}`;
  }, [place, texts]);
  return (
    <>
      <nav aria-label={texts.navigation}>
        {navigationPages.map((page) => (
          <a key={page} href={hashOf(page)} aria-current={route.page === page ? 'page' : undefined}>
            {texts.pages[page]}
          </a>
        ))}
      </nav>
      <main ref={main} tabIndex={-1} key={place}>
        <PageOf route={route} texts={texts} />
      </main>
    </>
  );
}

function PageOf({ route: { page, id, query }, texts }: { route: HashRoute; texts: Texts }) {
  switch (page) {
    case 'overview':
      return <OverviewPage />;
    case 'generations':
      return id === undefined ? <GenerationsPage key={query.toString()} query={query} /> : <GenerationPage id={id} />;
    case 'keys':
      return <KeysPage query={query} />;
    case 'workspaces':
      return id === undefined ? <WorkspacesPage /> : <WorkspacePage id={id} query={query} />;
    case 'tags':
      return <TagsPage />;
    case 'alerts':
      return <AlertsPage />;
    case 'members':
      return <MemberPage id={id ?? ''} workspaceId={query.get('workspace') ?? ''} />;
    case 'models':
      if (id !== undefined) return <ModelPage slug={id} />;
      return query.has('compare') ? <CompareModels slugs={query.get('compare')!.split(',')} /> : <ModelsPage />;
    case 'playground':
      return <PlaygroundPage query={query} />;
    default:
      return <p>{texts.noSuchPage}</p>;
  }
}

/** Returns the current route, with the hash. */
function useHashRoute(): HashRoute & { hash: string } {
  const [hash, setHash] = useState(location.hash);
  // A layout effect runs before anyone can follow a link of the page.
  useLayoutEffect(() => {
    // The browser would restore the scroll position before the page's rows are loaded.
    history.scrollRestoration = 'manual';
    const follow = () => {
      changeVisit();
      setHash(location.hash);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return { ...readHashRoute(hash), hash };
}
