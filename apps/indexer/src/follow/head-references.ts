import type { BlockHeader, ReferenceBook } from '@dexfeed/dex'

type ReadBook = (head: BlockHeader, finalNumber: number) => Promise<ReferenceBook>

/** The reference pools' state at the head. It moves and rolls back with the commits. */
export class HeadReferences {
  readonly #read: ReadBook
  readonly #version: () => number
  /** The book after the committed block, then the one after the block that a commit tried to write. */
  #kept: { head: BlockHeader; book: ReferenceBook }[] = []
  /** The version when the books were read, or an earlier one. */
  #keptVersion = 0

  /** @param version books of another version are read again */
  constructor(read: ReadBook, version: () => number = () => 0) {
    this.#read = read
    this.#version = version
  }

  /** Copy the book before recording blocks in it. */
  async after(head: BlockHeader, finalNumber: number): Promise<ReferenceBook> {
    const kept = this.#settle(head)
    if (kept !== null) return kept
    const version = this.#version()
    const book = await this.#read(head, finalNumber)
    this.#keptVersion = version
    this.#kept = [{ head, book }]
    return book
  }

  /** Returns the state before a block below the committed one; null if that block is final. */
  async before(number: number, head: BlockHeader, finalNumber: number): Promise<ReferenceBook | null> {
    const book = (await this.after(head, finalNumber)).copy()
    return book.rollBack(number - 1) ? book : null
  }

  async afterRollback(head: BlockHeader, ancestor: BlockHeader, finalNumber: number): Promise<ReferenceBook> {
    const book = this.#settle(head)?.copy()
    return book?.rollBack(ancestor.number) === true ? book : this.#read(ancestor, finalNumber)
  }

  /** Keeps the book after a commit about to be written, so that it can be rolled back as far as the final block. */
  noteAttempt(head: BlockHeader, book: ReferenceBook, finalNumber: number): void {
    book.rememberSince(Math.min(finalNumber, head.number))
    this.#kept = [...this.#kept.slice(0, 1), { head, book }]
  }

  forget(): void {
    this.#kept = []
  }

  /** Keeps the book of the committed block, as the database reports it. */
  #settle({ hash }: BlockHeader): ReferenceBook | null {
    const isWhole = this.#keptVersion === this.#version()
    this.#kept = isWhole ? this.#kept.filter(({ head }) => head.hash === hash) : []
    return this.#kept[0]?.book ?? null
  }
}
