import { RUN_SPEC, RUN_STATUS } from '../../common/analysis/kinds/run.ts'
import { TRAFFIC_COLUMNS } from '../../common/analysis/kinds/run-traffic.ts'
import { ANALYSIS_RUN } from '../../common/api/names.ts'
import { crdManifest } from '../schema/kinds.ts'
import { type Note, schemaOf } from '../schema/schema.ts'
import { METRIC_NOTES } from './metric.ts'

const SPEC: Note = {
  about: 'What is asked. It never changes: another question is another analysis run.',
  members: {
    experiment: {
      about: 'The ExperimentDeployment in this namespace.',
      members: {
        name: 'Its name.',
        uid: 'Its uid.',
        generation: 'Its metadata.generation when the analysis run began.',
      },
    },
    subject: 'A hash of what is compared with what, and by which metrics.',
    wholeSubject: 'The whole hash. A question with another one is another question.',
    attempt: 'The analysis.attempt of the experiment.',
    control:
      'What the fork is compared with: Source, the pods of the source, or Twin, those of a second fork without the override.',
    alpha: 'At most this part of all analysis runs fails a fork that is within its tolerance.',
    beta: 'At most this part of all analysis runs passes a fork that is worse than maxRegressionPercent.',
    minSamples: 'So many requests of the fork are needed before a Pass.',
    metrics: {
      about: 'The metrics of the templates and of the experiment, with all defaults and the values of all args.',
      members: METRIC_NOTES,
    },
  },
}

const EVIDENCE = {
  logE: 'The natural logarithm of the evidence, as an e-value.',
  needs: 'From which logE on it is shown.',
}

const EFFECT = {
  estimate: 'The estimate.',
  atLeast: 'It is at least this. The interval holds at every look.',
  atMost: 'It is at most this.',
}

const METRIC: Note = {
  about: 'What is known about each metric.',
  members: {
    name: 'The name of the metric.',
    verdict: 'The verdict on it.',
    reason: 'Why, in one word.',
    since: 'When the verdict or the reason last changed.',
    windowEnd: 'The end of the last window that counts. The next one begins here.',
    samples: {
      about: 'How much was counted.',
      members: { control: 'Of the pods that the fork is compared with.', treatment: 'Of the pods of the fork.' },
    },
    hasSeries: 'Whether there were series of it in a window, as long as nothing was counted.',
    harm: { about: 'The evidence that the fork is worse than tolerated.', members: EVIDENCE },
    safe: {
      about: 'The evidence that it is not much worse. Every part is needed for a Pass.',
      members: { part: 'What the part is about.', ...EVIDENCE },
    },
    effect: {
      about: 'How much worse the fork is, in percent.',
      members: { ...EFFECT, of: 'What was compared.' },
    },
    pods: {
      about: 'Whether single pods could explain harm, those of the fork, or safety, those of its source.',
      members: {
        groups: 'How many pods were left out, one after the other. 1: there was never another one.',
        outer: 'Without how many of them it is not shown.',
      },
    },
    state: 'What the controller remembers about the windows that count.',
    memory: {
      about: 'What the controller remembers about the windows that count, instead of state.',
      members: {
        version: 'The version of the numbers. Numbers of another version do not count.',
        numbers: 'What is remembered.',
        since: 'Windows count since then, because another version of the controller had begun the run.',
      },
    },
    twin: {
      about: 'Of an earlier version of the controller: the evidence that the twin is worse than the source.',
      members: { ...EVIDENCE, state: 'What the controller remembers about the windows that count.' },
    },
    trace: {
      about: 'The evidence over time, at most 60 points.',
      members: {
        at: 'When.',
        ...EFFECT,
        harm: 'logE of harm.',
        safe: 'The smallest logE of all parts of safe.',
      },
    },
  },
}

const STATUS: Note = {
  about: 'What was found. Only the controller writes it.',
  members: {
    verdict: 'Wait, or what was found: Pass, Fail, Inconclusive, NoData, Error or Aborted.',
    reason: 'Why, in one word.',
    message: 'Why, in a sentence.',
    wholeSubject: 'The whole hash of the question, where the spec does not have it.',
    startedAt: 'When the first window began.',
    finishedAt: 'When the verdict was found.',
    since: 'When the verdict or the reason last changed.',
    nextLookAt: 'When the next window is asked for.',
    looks: 'How often it was looked.',
    requests: 'The requests of the fork that were counted: the most of all metrics.',
    windows: {
      about: 'What became of the windows of all metrics.',
      members: {
        counted: 'They count.',
        empty: 'They had too few requests.',
        unusable: 'The answer was not usable, or there was none.',
        skipped: 'They were too old when their turn came.',
      },
    },
    traffic: {
      about: 'The requests that can be compared.',
      members: {
        requestsPerSecond: 'Of source and fork together, and of the twin.',
        spread: 'The standard deviation of the logarithm of the times.',
      },
    },
    power: {
      about: 'What this traffic can show in 8 of 10 analysis runs.',
      members: { percent: 'So much worse.', withinSeconds: 'In so many seconds.' },
    },
    action: 'What follows from the verdict: RollBack, Keep or Promote.',
    metrics: METRIC,
  },
}

/** The CRD of analysis runs. */
export const runCrd = (): string =>
  crdManifest({
    of: ANALYSIS_RUN,
    scope: 'Namespaced',
    shortName: 'expdrun',
    columns: [
      {
        name: 'Experiment',
        type: 'string',
        description: 'The experiment.',
        jsonPath: '.spec.experiment.name',
      },
      { name: 'Verdict', type: 'string', description: 'What was found.', jsonPath: '.status.verdict' },
      { name: 'Looks', type: 'integer', description: 'How often it was looked.', jsonPath: '.status.looks' },
      {
        name: 'Requests',
        type: 'integer',
        description: 'The requests of the fork that were counted.',
        jsonPath: '.status.requests',
      },
      {
        name: 'Since',
        type: 'date',
        description: 'When the verdict or the reason last changed.',
        jsonPath: '.status.since',
      },
      ...TRAFFIC_COLUMNS.map((column) => ({ ...column, priority: 1 as const })),
    ],
    last: [{ name: 'Message', type: 'string', description: 'What was found, in words.', jsonPath: '.status.message' }],
    comment: 'What an analysis asked and found. Only the controller writes it.',
    about: 'One question whether the fork of an experiment is worse than its source, with all evidence about it.',
    spec: {
      ...schemaOf(RUN_SPEC, SPEC, { withoutRules: true }),
      'x-kubernetes-validations': [
        {
          rule: 'self == oldSelf',
          reason: 'FieldValueForbidden',
          message: 'is immutable; delete the analysis run, then the controller makes another one',
        },
      ],
    },
    status: schemaOf(RUN_STATUS, STATUS, { withoutRules: true }),
  })
