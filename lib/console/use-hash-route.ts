import { useEffect, useState } from 'preact/hooks';
import { readHashRoute, type HashRoute } from './hash-route.ts';

/** The place that the address names, as it changes. */
export function useHashRoute(): HashRoute {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return readHashRoute(hash);
}
