import { ApiError } from '../sandbox/api.ts'

/** Whether a webhook did not answer in time, or could not read in time what it decides by. */
const isLate = ({ status, message }: ApiError): boolean => status === 504 || message.includes('deadline exceeded')

/**
 * Sends a request again while a webhook is too slow for it, as the answer says: many at once keep a machine busy.
 * `onRepeat` is called before each repetition.
 */
export async function inTime<T>(send: () => Promise<T>, onRepeat: () => void = () => undefined): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiError && isLate(error))) throw error
    onRepeat()
    return inTime(send, onRepeat)
  }
}
