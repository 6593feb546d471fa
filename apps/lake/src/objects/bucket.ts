import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { MINUTE, SECOND } from '@dexfeed/dex'
import type { BucketSettings } from '@dexfeed/service'
import { type FoundObject, MAX_TEXT_BYTES, type ObjectStore } from './object-store.ts'

/** The client cannot send a stream twice, so it retries nothing itself. */
const ATTEMPTS = 5
const FIRST_PAUSE_MS = SECOND / 4
const CONNECT_MS = 5 * SECOND
const SILENT_MS = MINUTE
/** Without a logger the client writes to the console. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }
const PAGE_KEYS = 1_000
const MAX_PAGES = 1_000

/** Has only the name and the message, because an error of the client holds the request with its signature. */
class BucketFailed extends Error {
  constructor(what: string, error: unknown) {
    const { name = 'Error', message = '' } = error instanceof Error ? error : {}
    super(`the bucket failed to ${what}: ${name} ${message}`)
  }
}

/** Opens a bucket with these credentials alone: the client looks for no others. */
export function bucketStore(
  { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey }: BucketSettings,
  signal: AbortSignal,
): ObjectStore & { close(): void } {
  const client = new S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ignoreConfiguredEndpointUrls: true,
    maxAttempts: 1,
    logger: SILENT,
    // Only the newest servers know the checksums that the client adds.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
  })
  const of = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` })
  const options = { abortSignal: signal }
  return {
    putFile: (key, path) =>
      repeated(`write ${key}`, signal, async () => {
        const { size } = await stat(path)
        const Body = createReadStream(path)
        try {
          await client.send(new PutObjectCommand({ ...of(key), Body, ContentLength: size }), options)
        } finally {
          Body.destroy()
        }
      }),
    putText: (key, text) =>
      repeated(`write ${key}`, signal, async () => {
        await client.send(new PutObjectCommand({ ...of(key), Body: text, ContentType: 'application/json' }), options)
      }),
    read: (key) =>
      repeated(`read ${key}`, signal, async () => {
        const { Body } = await client.send(new GetObjectCommand(of(key)), options)
        if (!(Body instanceof Readable)) throw new Error('it has no body')
        return Body
      }),
    getText: (key) =>
      repeated(`read ${key}`, signal, async () => {
        try {
          const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand(of(key)), options)
          if (Body === undefined) return null
          if (ContentLength > MAX_TEXT_BYTES) {
            if (Body instanceof Readable) Body.destroy()
            return null
          }
          return await Body.transformToString()
        } catch (error) {
          if (error instanceof NoSuchKey) return null
          throw error
        }
      }),
    async list(folder) {
      const objects: FoundObject[] = []
      let after: string | undefined
      for (let page = 0; page < MAX_PAGES; page++) {
        const found = await repeated(`list ${folder}`, signal, () =>
          client.send(
            new ListObjectsV2Command({
              Bucket: bucket,
              Prefix: `${prefix}${folder}`,
              MaxKeys: PAGE_KEYS,
              ...(after !== undefined && { StartAfter: after }),
            }),
            options,
          ),
        )
        const contents = found.Contents ?? []
        for (const { Key, Size } of contents) {
          if (Key?.startsWith(prefix)) objects.push({ key: Key.slice(prefix.length), bytes: Size ?? 0 })
        }
        after = contents.at(-1)?.Key
        if (found.IsTruncated !== true || after === undefined) return objects
      }
      throw new BucketFailed(`list ${folder}`, new Error('there is no end to its objects'))
    },
    delete: (key) =>
      repeated(`delete ${key}`, signal, async () => {
        await client.send(new DeleteObjectCommand(of(key)), options)
      }),
    close: () => client.destroy(),
  }
}

async function repeated<T>(what: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (attempt === ATTEMPTS) throw new BucketFailed(what, error)
      await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal })
    }
  }
}
