// What a report says of the bar under the pointer.
import type { Pointed } from '../gantt/chart';
import type { Scene } from '../gantt/scene';

export function showTip(box: HTMLElement, at: Pointed | null, scene: Scene): void {
  if (!at) return void (box.style.display = 'none');
  const { title, lines, why } = scene.tip(at.ref, at.lane, at.isSwitch);
  const line = (tag: string, text: string, kind: string) => Object.assign(document.createElement(tag), { textContent: text, className: kind });
  box.replaceChildren(line('b', title, ''), ...lines.map((text) => line('span', text, '')), ...why.map((text) => line('span', text, 'why')));
  box.style.display = 'block';
  const fit = (px: number, size: number, room: number) => (px + 14 + size <= room - 6 ? px + 14 : Math.max(6, px - 14 - size));
  box.style.left = `${fit(at.x, box.offsetWidth, innerWidth)}px`;
  box.style.top = `${fit(at.y, box.offsetHeight, innerHeight)}px`;
}
