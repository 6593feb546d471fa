import { dateOfDay, type NetworkName } from '@dexfeed/dex'
import type { LakeSpan } from '@dexfeed/store'
import { quoted } from '../duck.ts'
import { type DayKey, fileKey, manifestKey, manifestsOf, parseManifest } from '../manifest.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { SCHEMA_VERSION, type TableName } from '../tables.ts'

/** Manifests are small, but a bucket answers slowly. */
const READ_TOGETHER = 16

/** What the manifests say, each read once. */
export class LakeFiles {
  readonly #objects: Pick<ObjectStore, 'getText'>
  /** Of files: a folder or the URL of a bucket, ending with a slash. */
  readonly #root: string
  readonly #versions = new Map<string, number>()

  constructor(objects: Pick<ObjectStore, 'getText'>, root: string) {
    this.#objects = objects
    this.#root = root
  }

  /**
   * Returns what SELECT reads the tables of the requested days from. Throws if a manifest is missing or of another
   * version.
   */
  async open({ network, firstDay, versions }: LakeSpan): Promise<(table: TableName) => string> {
    const days = versions.map((version, n) => ({ key: { network, date: dateOfDay(firstDay + n) }, version }))
    for (let at = 0; at < days.length; at += READ_TOGETHER) {
      await Promise.all(days.slice(at, at + READ_TOGETHER).map(({ key, version }) => this.#check(key, version)))
    }
    return (table) => {
      const files = days.map(({ key, version }) => quoted(`${this.#root}${fileKey(table, key, version)}`))
      return `read_parquet([${files.join()}])`
    }
  }

  /** Reads the manifests of a network again. */
  forget(network: NetworkName): void {
    for (const key of this.#versions.keys()) if (key.startsWith(manifestsOf(network))) this.#versions.delete(key)
  }

  async #check(day: DayKey, version: number): Promise<void> {
    const key = manifestKey(day)
    if (this.#versions.get(key) === version) return
    const manifest = parseManifest((await this.#objects.getText(key)) ?? '', day)
    if (manifest === null || manifest.schema_version > SCHEMA_VERSION || manifest.version !== version) {
      throw new Error(`the lake does not have version ${version} of ${day.network} on ${day.date}`)
    }
    this.#versions.set(key, version)
  }
}
