import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '@dexfeed/chain'
import type { Random } from '@dexfeed/devnet'

/** Time that passes so many times as fast as the system's. */
export function hastyClock(speed: number, random: Random): Clock {
  return {
    now: () => performance.now() * speed,
    random: random.next,
    sleep: async (ms, signal) => {
      await delay(ms / speed, undefined, signal ? { signal } : {}).catch(() => undefined)
    },
  }
}
