// Who is at the page and what they may do. A token is kept for this tab alone unless one says otherwise.
import { Api, Refused, Unreachable } from '../lib/api';
import { awake } from '../lib/awake';

export const api = new Api();

const roles = ['read', 'submit', 'operate', 'admin'] as const;
export type Role = (typeof roles)[number];

type Stage = 'starting' | 'login' | 'in' | 'away';

const key = 'switchyard.token';

class Session {
  stage = $state<Stage>('starting');
  role = $state<Role>('read');
  owner = $state('');
  version = $state('');
  trouble = $state('');
  /** Whether a token was needed to get in. */
  withToken = $state(false);
  private remembers = false;

  may(needed: Role): boolean {
    return roles.indexOf(this.role) >= roles.indexOf(needed);
  }

  async begin(): Promise<void> {
    api.onExpired = () => this.expired();
    api.token = sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? '';
    await this.enter();
  }

  async login(token: string, remember: boolean): Promise<void> {
    api.token = token.trim();
    this.trouble = '';
    this.remembers = remember;
    await this.enter();
  }

  logout(): void {
    sessionStorage.removeItem(key);
    localStorage.removeItem(key);
    api.token = '';
    location.reload();
  }

  /** The token is no longer good: nothing more is asked with it. */
  private expired(): void {
    if (this.stage !== 'in') return;
    this.trouble = 'The token is unknown, expired or revoked.';
    this.stage = 'login';
  }

  private async enter(): Promise<void> {
    try {
      await api.learn();
      this.version = api.version;
      this.role = await this.askRole();
      this.withToken = api.token !== '';
      if (this.withToken) sessionStorage.setItem(key, api.token);
      if (this.withToken && this.remembers) localStorage.setItem(key, api.token);
      this.stage = 'in';
    } catch (trouble) {
      if (trouble instanceof Refused && (trouble.status === 401 || trouble.status === 403 || trouble.status === 429)) {
        this.trouble = api.token ? trouble.message : '';
        this.stage = 'login';
      } else {
        this.trouble = trouble instanceof Unreachable ? '' : String(trouble);
        this.stage = 'away';
        setTimeout(() => void awake().then(() => this.enter()), 2000);
      }
    }
  }

  private async askRole(): Promise<Role> {
    if (api.has('get', '/api/v1/me')) {
      const me = await api.get<{ role: Role; owner: string }>('/api/v1/me');
      this.owner = me.owner;
      return me.role;
    }
    try {
      await api.get('/api/v1/config');
      return 'operate';
    } catch (trouble) {
      const said = /yours is (\w+)/.exec(trouble instanceof Refused ? trouble.message : '')?.[1];
      return roles.find((role) => role === said) ?? 'read';
    }
  }
}

export const session = new Session();
