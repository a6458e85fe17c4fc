// A map that holds the latest of what was put in. Pure.

/** Where there are more than `most` and a twentieth, those that started first go; otherwise the very same map. */
export function latestOf<K, V extends { readonly start: number }>(all: Map<K, V>, most: number): Map<K, V> {
  if (all.size <= most * 1.05) return all;
  return new Map([...all].sort(([, a], [, b]) => a.start - b.start).slice(-most));
}
