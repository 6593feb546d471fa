import { SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import { choose } from './choose.ts'
import { Replica, type Standing } from './replica.ts'

const LOOK_MS = SECOND
const HTTP_PORT = 80

export interface Replicas {
  /**
   * The one to ask, of those that are not in `tried`; undefined where none is left. Requests of one `key` go to the same
   * replica as long as it is as good as the others.
   */
  choose(key: string | null, tried: ReadonlySet<Replica>): Replica | undefined
  close(): Promise<void>
}

export interface ReplicasOptions {
  apiUrl: string
  resolve: (name: string) => Promise<readonly string[]>
  lookMs?: number
  onLook: (counts: Record<Standing, number>) => void
  log: Logger
}

/** Follows the addresses of the API, and how each replica stands. The first look is over when this resolves. */
export async function openReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { resolve, lookMs = LOOK_MS, onLook, log } = options
  const { hostname, port } = new URL(options.apiUrl)
  const name = hostname.replace(/^\[|\]$/g, '')
  const known = new Map<string, Replica>()
  /** Of these the name no longer stands for: what they were asked they may still answer. */
  const leaving = new Set<Replica>()
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let told = ''

  const follow = async () => {
    const addresses = await resolve(name).catch((error: unknown) => {
      log.debug({ err: error }, 'the addresses of the API are not to be had')
      return null
    })
    // Nobody knows of any: those that are known may still be there.
    if (addresses === null || addresses.length === 0) return
    for (const address of addresses) {
      if (!known.has(address)) known.set(address, new Replica(address, Number(port || HTTP_PORT)))
    }
    for (const [address, replica] of known) {
      if (addresses.includes(address)) continue
      known.delete(address)
      leaving.add(replica)
    }
  }
  const look = async () => {
    await follow()
    const counts = { ready: 0, answering: 0, silent: 0 }
    await Promise.all([
      ...[...known.values()].map(async (replica) => counts[await replica.look()]++),
      ...[...leaving].map(async (replica) => {
        if ((await replica.look()) !== 'silent' && replica.active > 0) return
        leaving.delete(replica)
        replica.cut()
      }),
    ])
    onLook(counts)
    const now = JSON.stringify(counts)
    if (now !== told) log.info(counts, 'replicas of the API')
    told = now
  }
  const again = async () => {
    await look()
    if (!closed) timer = setTimeout(() => (looking = again()), lookMs)
  }
  let looking = again()
  await looking

  return {
    choose: (key, tried) => choose([...known.values()], key, tried),
    async close() {
      closed = true
      clearTimeout(timer)
      for (const replica of [...known.values(), ...leaving]) replica.cut()
      await looking
    },
  }
}
