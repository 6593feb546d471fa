import type { Readable } from 'node:stream'

export interface FoundObject {
  key: string
  bytes: number
}

/** A folder or a bucket. Keys are relative paths with slashes. A reader sees an object whole or not at all. */
export interface ObjectStore {
  /** Moves a file, or a copy of it, there. */
  putFile(key: string, path: string): Promise<void>
  putText(key: string, text: string): Promise<void>
  /** Throws if there is no such object. The stream fails if it breaks off. */
  read(key: string): Promise<Readable>
  /** Returns null if there is no such object, or one that is too large. */
  getText(key: string): Promise<string | null>
  /** Returns the objects whose keys begin with `prefix`, which ends with a slash. */
  list(prefix: string): Promise<FoundObject[]>
  /** Does nothing if there is no such object. */
  delete(key: string): Promise<void>
}

/** Manifests are some kilobytes. */
export const MAX_TEXT_BYTES = 1_000_000
