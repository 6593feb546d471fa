import type { NetworkName } from '@dexfeed/dex'
import type { ClientBase } from 'pg'

/** The channel on which readers hear of commits; the payload is the network's name. */
export const CHANNEL = 'dexfeed'

/** Tells the readers, when the transaction commits. */
export async function notify(tx: ClientBase, network: NetworkName): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, network])
}
