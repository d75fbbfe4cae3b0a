import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Failed } from '../../common/analysis/query/window-query.ts'
import { isObject } from '../../common/json/json.ts'

/** Keys of providers are shorter. */
const MAX_BYTES = 4_096
/** No slash, and no name of kubelet's, which begin with two dots. */
const NAME = /^[a-z0-9][a-z0-9.-]*$/
const PRINTABLE = /^[\x20-\x7e]+$/

/** A credential, or why there is none. `missing`: it may be created at any time. */
type CredentialReading =
  | { readonly is: 'credential'; readonly text: string }
  | (Failed & { readonly because: 'missing' | 'unusable' })

/**
 * Reads credentials from the files of `directory`, a mounted Secret, by their names. Reads each time: kubelet replaces
 * the files. A file is one line of printable ASCII, and a line feed at its end does not count. A message names the file
 * and has nothing of its content. Never throws. `read`: how a file is read once its links are followed.
 */
export const credentialsIn =
  (directory: string, read = firstBytes) =>
  async (name: string): Promise<CredentialReading> => {
    if (!NAME.test(name)) return unusable('the name of the credential is not valid')
    try {
      // between finding and opening a file, kubelet may have replaced it
      return decoded(name, (await content(directory, name, read)) ?? (await content(directory, name, read)))
    } catch {
      return unusable(`credential ${name} cannot be read`) // without the cause, whose message has a path
    }
  }

/** The first bytes of a file; undefined if there is none. @throws an error if it cannot be read, or is elsewhere */
async function content(directory: string, name: string, read: typeof firstBytes): Promise<Buffer | undefined> {
  try {
    const [root, file] = await Promise.all([realpath(directory), realpath(join(directory, name))])
    if (!file.startsWith(root + sep)) throw new Error('outside of the directory')
    return await read(file)
  } catch (error) {
    if (isObject(error) && error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The content of a file, up to one byte more than is allowed. Never waits for a pipe, and follows no further link.
 * @throws an error of the file system, or Error if it is no file
 */
async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw new Error('no file')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES + 1))
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function decoded(name: string, bytes: Buffer | undefined): CredentialReading {
  if (!bytes) return { is: 'failed', because: 'missing', message: `credential ${name} not found` }
  if (bytes.length > MAX_BYTES) return unusable(`credential ${name} is longer than ${MAX_BYTES} bytes`)
  const text = bytes.toString('latin1').replace(/\r?\n$/, '')
  if (text === '') return unusable(`credential ${name} is empty`)
  if (!PRINTABLE.test(text)) return unusable(`credential ${name} is not one line of printable ASCII`)
  return { is: 'credential', text }
}

const unusable = (message: string): CredentialReading => ({ is: 'failed', because: 'unusable', message })
