import { EXPERIMENT_ID } from '../api/names.ts'
import { selectsPods, type TrafficInput } from './pod-labels.ts'
import { concernsSource, endpointsOfOthers } from './shares.ts'
import type { TrafficView } from './traffic.ts'

/**
 * The names of the Services that send all their requests to experiments, if the fork has ready pods: each selects both
 * the fork and its source, and has no other ready endpoint. A Service that is limited to the fork is not one of them.
 */
export function servicesWithoutOthers(traffic: TrafficView, input: TrafficInput): readonly string[] {
  const services = traffic.services.filter(
    (service) =>
      selectsPods(service, input.fork) &&
      !Object.hasOwn(service.selector, EXPERIMENT_ID) &&
      // a source that was deleted has no labels any more
      (!input.source || concernsSource(service, input)),
  )
  return endpointsOfOthers({ ...traffic, services }, input)
    .filter(({ ready }) => ready === 0)
    .map(({ service }) => service)
    .sort()
}
