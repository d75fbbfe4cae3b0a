import { ARG_NAME_PATTERN } from '../../common/api/analysis/patterns.ts'
import { EXAMPLES, exampleOf } from '../experiments/examples.ts'
import { refusingNames } from '../schema/refusing.ts'
import type { Note, Rule } from '../schema/schema.ts'
import { METRIC_NOTES } from './metric.ts'
import { METRIC_RULES } from './metric-rules.ts'

/** Metrics as users write them, in experiments and in templates. */
export const metricsNote = (about: string): Note => ({
  about,
  keys: ['name'],
  itemRules: METRIC_RULES,
  members: METRIC_NOTES,
})

const RULES: readonly Rule[] = [
  {
    rule: 'self.noDataSeconds >= self.intervalSeconds',
    fieldPath: '.noDataSeconds',
    message: 'must not be less than intervalSeconds, the length of a window; raise it, or lower intervalSeconds',
  },
  {
    rule: '!has(self.maxSeconds) || self.maxSeconds >= self.intervalSeconds',
    fieldPath: '.maxSeconds',
    message: 'must not be less than intervalSeconds, the length of a window; raise it, or lower intervalSeconds',
  },
  {
    rule:
      '!has(self.metrics) || self.metrics.size() == 0 || (has(self.templates) && self.templates.size() > 0) || ' +
      'self.metrics.exists(metric, !has(metric.dryRun) || !metric.dryRun)',
    fieldPath: '.metrics',
    message: 'every metric is a dry run, so nothing counts; set dryRun of one of them to false',
  },
]

const NAMES = refusingNames(
  {
    interval: 'write intervalSeconds: 60, a number of seconds',
    timeout: 'write maxSeconds: 1800, a number of seconds',
    warmUp: 'write warmUpSeconds: 30, a number of seconds',
  },
  { interval: 'numberOrText', timeout: 'numberOrText', warmUp: 'numberOrText' },
)

/** What `spec.analysis` of an experiment says to people, and its rules. */
export const ANALYSIS_NOTE: Note = {
  about: `Whether the fork is worse than the source, by metrics, and what follows. {} alone asks about its health: whether its containers restart more often. ${exampleOf(EXAMPLES.analysis)}`,
  isAtomic: true,
  rules: [...RULES, ...NAMES.rules],
  refused: NAMES.refused,
  members: {
    templates: {
      about: 'Templates whose metrics the analysis has, before those of "metrics": at most 4.',
      keys: ['scope', 'name'],
      members: {
        name: 'The name of the template.',
        scope:
          'Namespace is an ExperimentAnalysisTemplate in the namespace of this object, Cluster is a ClusterExperimentAnalysisTemplate.',
        args: {
          about: 'Values of the args of the template, by name.',
          rules: [
            {
              rule: `self.all(name, name.matches(${JSON.stringify(ARG_NAME_PATTERN)}))`,
              message: 'the name of an arg has letters, digits, _ and - only; correct it',
            },
          ],
        },
      },
    },
    metrics: metricsNote(
      'The metrics: at most 8, those of the templates included. Each needs a name of its own. Without templates and metrics it is the health of the fork.',
    ),
    control:
      'What the fork is compared with. Source is the pods of the source. Twin is those of a second fork without the override, which has the same size and is as old, and is there while the analysis goes on.',
    intervalSeconds: 'The length of a window: at least twice the scrape interval of the provider.',
    warmUpSeconds: 'A pod counts once it was ready for so long.',
    maxSeconds:
      'How long the analysis goes on after its first window. Then onTimeout follows. Without it the analysis goes on as long as the experiment lives. An analysis that has to pass is refused if some metric never can within it.',
    noDataSeconds: 'How long there may be no data. Then onNoData follows.',
    minSamples: 'So many requests of the fork are needed before a Pass.',
    alpha:
      'At most this part of all analysis runs fails a fork that is within its tolerance, however often it looks. For Latency of classic histograms the tolerance is about the odds to exceed each boundary, not about time. For Value it holds if without harm at most half of the windows are worse.',
    beta: 'At most this part of all analysis runs passes a fork that is worse than maxRegressionPercent. It has the conditions of alpha.',
    onTimeout:
      'What follows when the time is over and neither harm nor safety has been shown. RollBack takes the pods of the fork away. Keep leaves the fork as it is. Promote goes on as after a Pass, without proof; where a policy applies, it must allow it.',
    onNoData:
      'What follows when there is no data, or the provider fails: RollBack or Keep. No data is never a Pass. If no series of either version is found, Keep follows.',
    continueAfterPass: 'Whether it goes on after a Pass, watching for harm until the experiment ends.',
    attempt: 'Raise it to ask again. The verdict names it.',
  },
}

/** What `status.analysis` of an experiment says to people. */
export const ANALYSIS_STATUS_NOTE: Note = {
  about: 'What the analysis run says. The numbers are in the ExperimentAnalysisRun.',
  members: {
    run: 'The name of the ExperimentAnalysisRun.',
    verdict: 'Wait, or what was found: Pass, Fail, Inconclusive, NoData, Error or Aborted.',
    reason: 'Why, in one word.',
    message: 'Why, in a sentence.',
    since: 'When the verdict or the reason last changed.',
    attempt: 'The analysis.attempt that it is about.',
    metrics: {
      about: 'The verdict on each metric.',
      members: { name: 'The name of the metric.', verdict: 'The verdict on it.' },
    },
    gatedDeployStatus:
      'The verdict in the word of Gated Deployments: notSignificant while it waits, then noHarm for Pass, and harm for every other end.',
    twin: {
      about: 'The workload of the twin, as it was last written.',
      members: { name: 'Its name.', uid: 'Its uid.', generation: 'Its metadata.generation.' },
    },
  },
}
