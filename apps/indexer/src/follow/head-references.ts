import type { BlockHeader, ReferenceBook } from '@dexfeed/dex'

/** Reads the reference pools' states after a block from the chain. */
type ReadBook = (head: BlockHeader, finalNumber: number) => Promise<ReferenceBook>

/**
 * The reference prices' states at the head. They are read from a day of logs once, then move with the commits and roll
 * back with them; what a step that failed has done to them is dropped.
 */
export class HeadReferences {
  readonly #read: ReadBook
  readonly #version: () => number
  /** After the committed block, and after the one that a commit was to make, whether or not it has. */
  #kept: { head: BlockHeader; book: ReferenceBook }[] = []
  /** The version that what is kept was read with, or that of an earlier one. */
  #keptVersion = 0

  /** @param version what is kept of another one is read anew: there are more reference pools */
  constructor(read: ReadBook, version: () => number = () => 0) {
    this.#read = read
    this.#version = version
  }

  /** The states after the committed block: to be copied before blocks are walked on them. */
  async after(head: BlockHeader, finalNumber: number): Promise<ReferenceBook> {
    const kept = this.#settle(head)
    if (kept !== null) return kept
    const version = this.#version()
    const book = await this.#read(head, finalNumber)
    this.#keptVersion = version
    this.#kept = [{ head, book }]
    return book
  }

  /** The states before a block below the committed one; null where that is final already. */
  async before(number: number, head: BlockHeader, finalNumber: number): Promise<ReferenceBook | null> {
    const book = (await this.after(head, finalNumber)).copy()
    return book.rollBack(number - 1) ? book : null
  }

  /** The states after an ancestor of the committed block. */
  async afterRollback(head: BlockHeader, ancestor: BlockHeader, finalNumber: number): Promise<ReferenceBook> {
    const book = this.#settle(head)?.copy()
    return book?.rollBack(ancestor.number) === true ? book : this.#read(ancestor, finalNumber)
  }

  /** Notes what the states are once a commit is made; it may roll back to the final block later. */
  noteAttempt(head: BlockHeader, book: ReferenceBook, finalNumber: number): void {
    book.rememberSince(Math.min(finalNumber, head.number))
    this.#kept = [...this.#kept.slice(0, 1), { head, book }]
  }

  /** Has them read anew. */
  forget(): void {
    this.#kept = []
  }

  /** The database says which of the blocks was committed. */
  #settle({ hash }: BlockHeader): ReferenceBook | null {
    const isWhole = this.#keptVersion === this.#version()
    this.#kept = isWhole ? this.#kept.filter(({ head }) => head.hash === hash) : []
    return this.#kept[0]?.book ?? null
  }
}
