// The address holds the view: "#/runs/3?tab=outputs" is a path of parts and a query. Pure.

export interface Route {
  readonly view: string;
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

export const views = [
  'overview', 'timeline', 'queue', 'runs', 'models', 'pipelines', 'simulate', 'logs', 'settings',
] as const;
export type View = (typeof views)[number];

const known = new Set<string>([...views, 'task']);

export function parse(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [view = '', id] = path.split('/').map(decode);
  return {
    view: known.has(view) ? view : 'overview',
    id: id || null,
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Empty values are left out, so that an address says only what differs. */
export function print(view: string, id?: string | number | null, query: Record<string, string | number | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value != null && value !== '') search.set(key, String(value));
  const tail = search.toString();
  return `#/${view}${id != null && id !== '' ? `/${encodeURIComponent(id)}` : ''}${tail ? `?${tail}` : ''}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
