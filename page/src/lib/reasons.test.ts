import { describe, expect, it } from 'vitest';
import { type Begun, howHeld, whatFor } from './reasons';

const why = (over: Partial<Begun>) => whatFor({ begin: 20, start: 20, submitted: 0, needs: [], before: [], ...over }, (t) => `${t}s`);

describe('what it waited for', () => {
  it('nothing', () => expect(why({ submitted: 19.95 })).toBe('starts at once'));
  it('the GPU, until the one before it ended', () =>
    expect(why({ before: [{ who: '#7', end: 19.9 }, { who: '#5', end: 12 }] })).toBe('waited 20.0s for its GPU, which #7 had until 19.9s'));
  it('its turn, where the GPU had long been free', () => expect(why({ before: [{ who: '#7', end: 12 }] })).toBe('waited 20.0s in line since 0s'));
  it('the last of what it needs', () =>
    expect(why({ needs: [{ who: '#3', end: 4 }, { who: '#4', end: 19.95 }] })).toBe('waited for #4, which it needs, until 19.95s'));
  it('first what it needs and then a GPU', () =>
    expect(why({ needs: [{ who: '#4', end: 10 }], before: [{ who: '#7', end: 20 }] })).toBe('waited for #4, which it needs, until 10s, then 10.0s for its GPU, which #7 had until 20s'));
  it('what it needs, with its model there already', () =>
    expect(why({ begin: 15, needs: [{ who: 'embed', end: 20 }] })).toBe('its model was loaded ahead; waited for embed, which it needs, until 20s'));
  it('not what had ended before it was handed in', () => expect(why({ submitted: 20, needs: [{ who: '#4', end: 3 }] })).toBe('starts at once'));
});

it('how its model came to be there', () => {
  expect([howHeld(null, 0, 'bge'), howHeld('bge', 0, 'sdxl'), howHeld('bge', 2, null), howHeld('bge', 2, 'sdxl'), howHeld('bge', 2, 'bge')]).toEqual([
    'a command: no model to load', 'its model was held here: no switch', 'its model was loaded first, 2.00s, onto a GPU that had run none',
    'its model was loaded first, 2.00s, after sdxl', 'its model was loaded first, 2.00s, again']);
});
