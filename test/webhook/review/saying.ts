/** Requests that say a command. */
import { COMMAND, COMMAND_BY } from '../../../common/api/names.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'

export const NOW = new Date('2026-11-21T14:05:03.120Z')
export const REVISION = '1f2e3d4c5b'
export const STAMP = `step=1 revision=${REVISION} at=${NOW.toISOString()}`
export const ofKey = (key: string) => `metadata.annotations["${key}"]`

/** A command, and who is said to have given it. */
export interface Saying {
  readonly command?: string
  readonly by?: string
}

/** The experiment of these requests. */
export const anExperimentSaying = ({ command, by }: Saying, status?: object) => {
  const annotations = {
    ...(command === undefined ? {} : { [COMMAND]: command }),
    ...(by === undefined ? {} : { [COMMAND_BY]: by }),
  }
  return { ...anExperiment({ metadata: { annotations }, strategy: { canary: {} } }), ...(status ? { status } : {}) }
}

export const STATUS = { strategy: { stepIndex: 1, revision: REVISION } }
export const creating = (said: Saying) => aRequest({ object: anExperimentSaying(said) })
export const updating = (said: Saying, before: Saying = {}, status: object = STATUS) =>
  aRequest({ object: anExperimentSaying(said, status), oldObject: anExperimentSaying(before, status) })
