import { useEffect, useState } from 'preact/hooks';
import { readHashRoute, type HashRoute } from './hash-route.ts';
import { changeVisit } from './visits.ts';

/** The place that the address names, as it changes, with the part of the address that names it. */
export function useHashRoute(): HashRoute & { hash: string } {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    // The browser would scroll before the rows of the page are there.
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
