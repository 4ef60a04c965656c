// A field for another name: Enter or leaving it takes the name, Esc leaves the old one.

export function RenameField(props: {
  class?: string;
  label: string;
  name: string;
  onName: (name: string) => void;
  onCommit: () => void;
  onCancel: () => void;
}) {
  return (
    <input
      type="text"
      class={props.class}
      aria-label={props.label}
      maxLength={80}
      value={props.name}
      ref={(field) => field?.focus()}
      onInput={(event) => props.onName(event.currentTarget.value)}
      onBlur={props.onCommit}
      onKeyDown={(event) => {
        if (event.key === "Enter") props.onCommit();
        if (event.key !== "Escape") return;
        props.onCancel();
        event.stopPropagation();
      }}
    />
  );
}
