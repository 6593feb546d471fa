import { setTimeout as delay } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { PATIENCE, type Patience } from './connection-config.ts'
import { WatchedClient } from './watched-client.ts'

export interface KeepAliveConfig extends ClientConfig {
  patience?: Patience
}

/** Keep-alive queries let either end of an idle connection notice within seconds that the other is gone. */
export class KeepAliveClient extends WatchedClient {
  readonly #everyMs: number
  readonly #over = new AbortController()

  constructor({ patience = PATIENCE, ...config }: KeepAliveConfig) {
    const options = `${config.options ?? ''} -c idle_session_timeout=${patience.idleSessionMs}`
    // The server answers keep-alive queries immediately, and may have no free connection to check this one.
    super({ ...config, options, silence: { afterMs: patience.silentMs + patience.checkMs } })
    this.#everyMs = patience.keepAliveMs
  }

  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event === 'connect') void this.#keepAlive(this.#over.signal)
    else if (event === 'end') this.#over.abort()
    return super.emit(event, ...given)
  }

  async #keepAlive(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.#everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.query('SELECT 1').catch(() => undefined)
    }
  }
}
