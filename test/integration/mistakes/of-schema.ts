import type { Mistake } from './mistake.ts'

const steps = (of: string): string => `strategy: {canary: {steps: [${of}]}}`
const STEP = 'spec.strategy.canary.steps[0]'

/** N25: names of fields that people write by habit, and values of another form. */
export const OF_SCHEMA: readonly Mistake[] = [
  { title: 'A ttl', rest: 'ttl: 1h', paths: ['spec.ttl'] },
  { title: 'Steps beside the strategy', rest: 'steps: [{setWeight: 10}]', paths: ['spec.steps'] },
  { title: 'A canary beside the strategy', rest: 'canary: {steps: []}', paths: ['spec.canary'] },
  { title: 'An interval', rest: 'analysis: {interval: 1m}', paths: ['spec.analysis.interval'] },
  { title: 'A strategy with a type', rest: 'strategy: {type: Canary}', paths: ['spec.strategy.type'] },
  { title: 'Steps without a canary', rest: 'strategy: {steps: [{setWeight: 10}]}', paths: ['spec.strategy.steps'] },
  { title: 'A weight', rest: steps('{weight: 10}'), paths: [`${STEP}.weight`] },
  { title: 'A weight with a percent sign', rest: steps('{setWeight: 10%}'), paths: [`${STEP}.setWeight`] },
  { title: 'A step with a duration', rest: steps('{duration: 1h}'), paths: [`${STEP}.duration`] },
  {
    title: 'A duration in words',
    rest: steps('{pause: {duration: 5 minutes}}'),
    paths: [`${STEP}.pause.duration`],
  },
  {
    title: 'A surge in words',
    rest: 'strategy: {canary: {maxSurge: two}}',
    paths: ['spec.strategy.canary.maxSurge'],
  },
]

const PREFIX = 'experiment-controller.example.com'
const warns = 'LikelyMistake'

/** N26: what is accepted, does nothing, and looks meant. */
export const OF_SILENCE: readonly Mistake[] = [
  {
    title: 'A misspelt command',
    metadata: `annotations: {${PREFIX}/comand: resume}`,
    ...{ warns, paths: [`${PREFIX}/comand`] },
  },
  {
    title: 'A command with the group of the kinds',
    metadata: 'annotations: {experimentcontroller.example.com/command: resume}',
    ...{ warns, paths: ['experimentcontroller.example.com/command'] },
  },
  {
    title: 'A command in a label',
    metadata: `labels: {${PREFIX}/command: resume}`,
    ...{ warns, paths: [`${PREFIX}/command`] },
  },
  {
    title: 'Replicas beside a canary',
    rest: `replicas: 3\n${steps('{setWeight: 10}, {pause: {}}')}`,
    ...{ warns, paths: ['spec.replicas'] },
  },
  {
    title: 'All of the weight at the end',
    rest: steps('{setWeight: 10}, {setWeight: 100}'),
    ...{ warns, paths: ['spec.strategy.canary.steps[1].setWeight'] },
  },
  {
    title: 'Less time to live than pauses',
    rest: `ttlSeconds: 3600\n${steps('{setWeight: 10}, {pause: {duration: 2h}}')}`,
    ...{ warns, paths: ['spec.ttlSeconds'] },
  },
]
