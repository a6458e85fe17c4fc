// A colour for each model that people with any colour vision can tell from its neighbours: Paul Tol's muted scheme,
// lightest and darkest left out so that all stand on white as on black. Pure.

export interface Paint {
  readonly fill: string;
  readonly ink: string;
}

const scheme = [
  '#5b8fd0', '#e0a84a', '#44aa99', '#cc6677', '#9a86cf', '#88b04b', '#4fb3d9', '#c77ba8', '#b5a13a', '#7a8b99', '#d98557', '#3f9b76',
];

export const grey: Paint = { fill: '#9aa3ad', ink: '#14171a' };

/** Where there are more models than colours they come again, a shade darker each round. */
export function paintOf(index: number): Paint {
  if (index < 0) return grey;
  const base = scheme[index % scheme.length]!;
  const fill = shaded(base, 0.82 ** Math.floor(index / scheme.length));
  return { fill, ink: inkOn(fill) };
}

function channels(hex: string): [number, number, number] {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
}

function shaded(hex: string, factor: number): string {
  return '#' + channels(hex).map((c) => Math.round(c * factor).toString(16).padStart(2, '0')).join('');
}

/** Black or white, whichever is read more easily on it (WCAG's relative luminance). */
export function inkOn(hex: string): string {
  const [r, g, b] = channels(hex).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? '#14171a' : '#ffffff';
}
