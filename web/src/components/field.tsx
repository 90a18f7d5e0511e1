// Form fields that are found by the JSON pointer of what they fill, so that whatever is wrong can be gone to.
import FormField, { type FormFieldProps } from "@cloudscape-design/components/form-field";

/** A form field with the pointer into the request that it fills. */
export function Field({ pointer, ...props }: FormFieldProps & { pointer: string }) {
  return (
    <div data-pointer={pointer}>
      <FormField {...props} />
    </div>
  );
}

const FOCUSABLE = "input:not([disabled]), textarea, button:not([disabled]), [tabindex='0']";
// The page of a wizard's step comes some frames after it was asked for.
const FRAMES_AT_MOST = 60;

const own = (field: HTMLElement) => field.dataset.pointer ?? "";
const holds = (field: HTMLElement, pointer: string) => pointer === own(field) || pointer.startsWith(`${own(field)}/`);

/** The field that a pointer names most closely. */
function closest(fields: readonly HTMLElement[], pointer: string): HTMLElement | undefined {
  const holding = fields.filter((field) => holds(field, pointer));
  return holding.sort((a, b) => own(b).length - own(a).length)[0];
}

/** The first field on the page, in its order, that one of the pointers names. */
export function firstField(pointers: readonly string[]): HTMLElement | undefined {
  const fields = [...document.querySelectorAll<HTMLElement>("[data-pointer]")];
  const named = new Set(pointers.map((pointer) => closest(fields, pointer.replace(/^#/, ""))));
  return fields.find((field) => named.has(field));
}

/** Puts the focus on the first of these fields as soon as it is on the page. */
export function focusField(pointers: readonly string[], frames = FRAMES_AT_MOST): void {
  if (pointers.length === 0) return;
  requestAnimationFrame(() => {
    const field = firstField(pointers);
    if (!field) {
      if (frames > 0) focusField(pointers, frames - 1);
      return;
    }
    const control =
      field.querySelector<HTMLElement>('[aria-invalid="true"]') ?? field.querySelector<HTMLElement>(FOCUSABLE);
    control?.focus();
    control?.scrollIntoView({ block: "center" });
  });
}
