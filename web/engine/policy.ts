// What a host's Content-Security-Policy refused in this thread. Only the browser's own report says that it was the policy.

/** A report comes before or after the failure that it explains, but soon. */
const REPORT_DELAY_MS = 50;

const refused: { readonly directive: string; readonly address: string }[] = [];

/** Call early in each thread: reports of the time before are lost. */
export function watchPolicy(scope: EventTarget): void {
  scope.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, disposition } = event as SecurityPolicyViolationEvent;
    if (disposition !== 'report') refused.push({ directive: effectiveDirective, address: blockedURI });
  });
}

/** After a failure: whether the policy refused this under the directive. `address`: the request that failed, if any. */
export async function refusedBy(directive: string, address?: string): Promise<boolean> {
  if (refused.length === 0) await new Promise((resolve) => setTimeout(resolve, REPORT_DELAY_MS));
  return refused.some(
    (report) => report.directive.startsWith(directive) && (address === undefined || address.startsWith(report.address)),
  );
}
