import type { NetworkName } from '@dexfeed/dex'
import { asStoreError } from '../as-store-error.ts'
import type { Database } from '../database.ts'

/** Marks every network but these as no longer indexed: their rows stay, the API does not serve them. */
export async function deactivateOtherNetworks({ prisma }: Database, names: readonly NetworkName[]): Promise<void> {
  try {
    await prisma.network.updateMany({ where: { name: { notIn: [...names] } }, data: { active: false } })
  } catch (error) {
    throw asStoreError(error)
  }
}
