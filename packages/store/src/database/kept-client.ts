import { setTimeout as delay } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { PATIENCE, type Patience } from './connection-config.ts'
import { WatchedClient } from './watched-client.ts'

export interface KeptConfig extends ClientConfig {
  /** The default is meant for use, others for tests. */
  patience?: Patience
}

/**
 * A connection that is idle for most of the time: it is asked for signs of life, so that within seconds either end
 * notices that the other is gone.
 */
export class KeptClient extends WatchedClient {
  readonly #everyMs: number
  readonly #over = new AbortController()

  constructor({ patience = PATIENCE, ...config }: KeptConfig) {
    const options = `${config.options ?? ''} -c idle_session_timeout=${patience.keptMs}`
    // Signs are answered at once: the server, which may take no further connection, need not be asked.
    super({ ...config, options, silence: { afterMs: patience.silentMs + patience.answerMs } })
    this.#everyMs = patience.signMs
  }

  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event === 'connect') void this.#askForSigns(this.#over.signal)
    else if (event === 'end') this.#over.abort()
    return super.emit(event, ...given)
  }

  async #askForSigns(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.#everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      // Whoever holds the connection hears of its end.
      if (!signal.aborted) await this.query('SELECT 1').catch(() => undefined)
    }
  }
}
