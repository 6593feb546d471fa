import { LRUCache } from 'lru-cache'
import { readAt, withFile } from './day/whole-files.ts'
import type { BodyPart } from './list-body.ts'

const MAX_BYTES = 2 ** 21
const MAX_KEPT = 4

/** Joins the parts of short lists once for all clients: a list of 1 MB can have hundreds of parts. */
export class SmallBodies {
  readonly #kept = new LRUCache<string, Promise<Buffer>>({ max: MAX_KEPT })

  /**
   * @param name differs whenever the bytes do
   * @param length of the list, uncompressed
   */
  partsOf(name: string, length: number, parts: Iterable<BodyPart>): Iterable<BodyPart> {
    if (length > MAX_BYTES) return parts
    return [{ bytes: () => this.#bodyOf(name, parts) }]
  }

  #bodyOf(name: string, parts: Iterable<BodyPart>): Promise<Buffer> {
    const known = this.#kept.get(name)
    if (known !== undefined) return known
    const body = joined(parts)
    this.#kept.set(name, body)
    body.catch(() => {
      if (this.#kept.peek(name) === body) this.#kept.delete(name)
    })
    return body
  }
}

async function joined(parts: Iterable<BodyPart>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (const part of parts) {
    if ('path' in part) pieces.push(await withFile(part.path, (file) => readAt(file, part.start, part.length)))
    else pieces.push(await part.bytes())
  }
  return Buffer.concat(pieces)
}
