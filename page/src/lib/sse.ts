// Server-sent events as they come over the wire, in pieces that end anywhere. Pure; EventSource itself cannot carry a
// token.

export interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Takes text as it comes and gives back the messages it completes; the rest is kept. */
export class EventReader {
  private rest = '';

  take(text: string): Message[] {
    this.rest += text;
    const messages: Message[] = [];
    for (;;) {
      const end = this.rest.indexOf('\n\n');
      if (end < 0) return messages;
      const message = messageOf(this.rest.slice(0, end));
      this.rest = this.rest.slice(end + 2);
      if (message) messages.push(message);
    }
  }
}

function messageOf(block: string): Message | null {
  let id = '', event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { id, event, data: data.join('\n') } : null;
}
