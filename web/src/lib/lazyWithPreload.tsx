/** Components that are loaded when first needed, or ahead of it. */
import { lazy, useState, type ComponentType } from 'react';

/**
 * Like `lazy`, but `preload` brings it in ahead, and then it is drawn at once: React holds back for 300 ms whatever
 * has once shown a fallback, however fast it comes.
 */
export function lazyWithPreload<P extends object, M extends { default: ComponentType<P> }>(
  load: () => Promise<M & { default: ComponentType<P> }>,
) {
  let loaded: ComponentType<P> | null = null;
  const bring = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Later = lazy(bring);
  function Deferred(props: P) {
    const [Shown] = useState<ComponentType<P>>(() => loaded ?? Later);
    return <Shown {...props} />;
  }
  return Object.assign(Deferred, { preload: bring });
}
