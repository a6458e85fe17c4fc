// uPlot, fetched when first needed. It is a script of its own and not part of the bundle, so that the reports of
// `simulate` can carry the very same file (src/output/simulate_html.cc).
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

let coming: Promise<typeof uPlot> | null = null;

export function plotLibrary(): Promise<typeof uPlot> {
  return (coming ??= new Promise((come, fail) => {
    const script = document.createElement('script');
    script.src = './uplot.js';
    script.onload = () => come((window as unknown as { uPlot: typeof uPlot }).uPlot);
    script.onerror = () => ((coming = null), fail(new Error('uplot.js cannot be fetched')));
    document.head.append(script);
  }));
}
