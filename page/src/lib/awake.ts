// A page in the background rests. Here is how those who ask again and again wait until somebody looks at it.

export function awake(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((go) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      go();
    };
    document.addEventListener('visibilitychange', look);
  });
}
