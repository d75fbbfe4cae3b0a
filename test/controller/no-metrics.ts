import { Metrics } from '../../common/program/metrics.ts'
import { type ControllerMetrics, controllerMetrics } from '../../controller/metrics.ts'

/** Metrics for tests that do not look at them. */
export const noMetrics = (): ControllerMetrics => controllerMetrics(new Metrics())
